// From the name that people type to the id that names the agent's folder and channel.

const LONGEST = 64;

/** The id of an agent of this name, unlike those that are taken. */
export function idOf(name: string, taken: readonly string[] = []): string {
  const plain = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  const stem = (plain || "agent").slice(0, LONGEST - 4);
  const free = (id: string) => !taken.some((other) => other.toLowerCase() === id);
  for (let n = 1; ; n += 1) {
    const id = n === 1 ? stem : `${stem}-${n}`;
    if (free(id)) return id;
  }
}
