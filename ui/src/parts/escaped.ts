/** The escape of one character as people write its number: `\u{456}` is U+0456. Other escapes stay as they are. */
export function named(escape: string): string {
  const digits = /^\\u\{([0-9a-f]+)\}$/i.exec(escape)?.[1];
  return digits ? `U+${digits.toUpperCase().padStart(4, "0")}` : escape;
}
