/** Returns the length of 1 rem in CSS pixels, for what is measured in code. */
export const rem = (): number => parseFloat(getComputedStyle(document.documentElement).fontSize) || 10;
