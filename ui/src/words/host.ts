// Words of the choice between this Mac and others of the fleet.

import { computer } from "./platform";

export const host = {
  label: computer === "Mac" ? "Mac" : "Computer",
  here: `This ${computer}`,
  readOnly: (name: string) => `Rules of ${name}. Change them there.`,
  readFirst: (n: number, name: string) => `The first ${n} rules of ${name}. Change them there.`,
};
