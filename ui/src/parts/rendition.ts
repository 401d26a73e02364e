// Colours and styles of a terminal (SGR), mapped to the few that can be read on the page in every appearance.

/** The colours that text is shown in: whatever a program names becomes one of them, or the text's own. */
export type Hue = (typeof HUES)[number] | "gray";

/** How a stretch of output looks. Concealed and blinking text is shown as any other. */
export interface Style {
  readonly fg?: Hue | undefined;
  readonly bg?: Hue | undefined;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strike?: boolean;
  readonly inverse?: boolean;
}

export const PLAIN: Style = {};

/** By their place on the colour circle, a sixth of it each. */
const HUES = ["red", "yellow", "green", "cyan", "blue", "magenta"] as const;
/** The eight of the first terminals: black and white are the text's own color. */
const EIGHT = [undefined, "red", "green", "yellow", "blue", "magenta", "cyan", undefined] as const;

const CODES: Record<number, Style> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  9: { strike: true },
  21: { underline: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  29: { strike: false },
  39: { fg: undefined },
  49: { bg: undefined },
};

/** Returns the style after a sequence with these arguments. What is not known changes nothing. */
export function restyled(style: Style, args: string): Style {
  const codes = args.split(";");
  let found = style;
  for (let code = codes.shift(); code !== undefined; code = codes.shift()) {
    const [kind = "", ...parts] = code.split(":");
    const n = Number(kind);
    if (n === 0) found = PLAIN;
    else if (n === 38 || n === 48) {
      const hue = parts.length > 0 ? extended(parts.filter((part) => part !== "")) : extended(codes);
      found = { ...found, [n === 38 ? "fg" : "bg"]: hue };
    } else if (n === 4 && parts[0] === "0") found = { ...found, underline: false };
    else found = { ...found, ...(CODES[n] ?? basic(n)) };
  }
  return found;
}

/** The codes of sixteen colours. Black and white as a ground are a ground, in the text's own colour. */
function basic(n: number): Style {
  const digit = n % 10;
  if (digit > 7) return {};
  if (n >= 30 && n < 38) return { fg: EIGHT[digit] };
  if (n >= 40 && n < 48) return { bg: EIGHT[digit] ?? "gray" };
  if (n >= 90 && n < 98) return { fg: digit === 0 ? "gray" : EIGHT[digit] };
  if (n >= 100 && n < 108) return { bg: EIGHT[digit] ?? "gray" };
  return {};
}

/** Takes `5;N` (of 256) or `2;R;G;B` from the front of the codes. */
function extended(codes: string[]): Hue | undefined {
  const kind = codes.shift();
  if (kind === "5") return of256(Number(codes.shift()));
  if (kind !== "2") return undefined;
  const [r = 0, g = 0, b = 0] = codes.splice(0, 3).map(Number);
  return nearest(r, g, b);
}

function of256(n: number): Hue | undefined {
  if (n < 16) return n === 8 ? "gray" : EIGHT[n % 8];
  if (n >= 232) return nearest(8 + 10 * (n - 232), 8 + 10 * (n - 232), 8 + 10 * (n - 232));
  const level = (step: number) => (step === 0 ? 0 : 55 + 40 * step);
  const at = n - 16;
  return nearest(level(Math.floor(at / 36)), level(Math.floor(at / 6) % 6), level(at % 6));
}

function nearest(r: number, g: number, b: number): Hue | undefined {
  const most = Math.max(r, g, b);
  const range = most - Math.min(r, g, b);
  // Near black and near white are the text's own color, whichever of them the page has.
  if (range < 40) return most > 64 && most < 192 ? "gray" : undefined;
  const sixth = most === r ? (g - b) / range : most === g ? 2 + (b - r) / range : 4 + (r - g) / range;
  return HUES[(Math.round(sixth) + 6) % 6];
}
