// Amounts as people say them.

/** An amount of data: powers of ten, as macOS counts. */
export function bytes(n: number): string {
  const units = ["bytes", "kB", "MB", "GB"] as const;
  let value = n;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : 1;
  return `${value.toLocaleString("en-US", { maximumFractionDigits: digits })} ${units[unit]}`;
}

/** A day with its year. */
export function day(at: number): string {
  return new Date(at).toLocaleDateString("en-US", { day: "numeric", month: "long", year: "numeric" });
}
