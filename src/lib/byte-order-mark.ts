/** Removes a byte order mark. Source: RFC 8259, section 8.1: readers may ignore it. */
export const withoutByteOrderMark = (text: string): string =>
  text.startsWith('\uFEFF') ? text.slice(1) : text;
