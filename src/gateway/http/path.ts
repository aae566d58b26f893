/** The path of a request target, which decides the route as it was sent, since a proxy's rules have judged it so. */
export function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}
