/** Whether the window is as narrow as the style sheet takes a phone to be. */
export const isPhone = (): boolean => matchMedia('(max-width: 700px)').matches;
