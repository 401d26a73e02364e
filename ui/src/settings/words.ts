// The words of the settings pages: those that all pages share, and their own.

import { words as shared } from "../words";
import { activity } from "../words/activity";
import { classes } from "../words/classes";
import { doors } from "../words/doors";
import { host } from "../words/host";
import { insights } from "../words/insights";
import { pages } from "../words/pages";
import { rules } from "../words/rules";

export { count } from "../words";

export const words = { ...shared, ...pages, activity, classes, doors, host, insights, rules } as const;
