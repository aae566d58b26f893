/** Whether the style sheet's layout for phones applies. */
export const isPhone = (): boolean => matchMedia('(max-width: 700px)').matches;
