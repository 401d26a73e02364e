// What went wrong, in the app's words: a command of the app fails with a text, a page's own code with an error.

export const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));
