// Answers that come in another order than they were asked for.

/** Takes each answer, unless a newer one was taken before it: that one tells of the past. */
export function newest<T>(take: (found: T) => void): (asking: Promise<T | null>) => Promise<void> {
  let asked = 0;
  let heard = 0;
  return async (asking) => {
    const turn = ++asked;
    const found = await asking;
    if (found === null || turn < heard) return;
    heard = turn;
    take(found);
  };
}
