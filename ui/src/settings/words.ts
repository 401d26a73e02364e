// The words of the settings pages: those that all pages share, and their own.

import { words as shared } from "../words";
import { activity } from "../words/activity";
import { doors } from "../words/doors";
import { insights } from "../words/insights";
import { pages } from "../words/pages";
import { rules } from "../words/rules";

export { count } from "../words";

export const words = { ...shared, ...pages, activity, doors, insights, rules } as const;
