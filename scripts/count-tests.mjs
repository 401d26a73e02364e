// Adds up the closing lines of cargo test, vitest and Playwright in the files named and prints `N passed, N failed`, and
// which tests passed only when they ran once more, then the names of those that failed: at the end, where a log that was cut
// still has them. Exits 1 where something failed, or where nothing ran.
import { readFileSync } from 'node:fs';

const escape = String.fromCharCode(27);
const text = process.argv.slice(2).map((path) => readFileSync(path, 'utf8')).join('\n').replaceAll(new RegExp(`${escape}\\[[0-9;]*m`, 'g'), '');
let passed = 0;
let failed = 0;
const add = (line) => {
  passed += Number(/(\d+) passed/.exec(line)?.[1] ?? 0);
  failed += Number(/(\d+) failed/.exec(line)?.[1] ?? 0);
};
for (const [line] of text.matchAll(/^test result: .*$/gm)) add(line); // cargo test
for (const [line] of text.matchAll(/^\s+Tests\s+.*$/gm)) add(line); // vitest
for (const [line] of text.matchAll(/^\s+\d+ (passed|failed)\b.*$/gm)) add(line); // Playwright
const flaky = [...text.matchAll(/^flaky: (.*)$/gm)].map(([, name]) => name);
passed += flaky.length;
failed -= flaky.length;
console.log(`\n${passed} passed, ${failed} failed${flaky.length > 0 ? `; only when run once more: ${flaky.join(', ')}` : ''}`);
const names = new Set([
  ...text.matchAll(/^test (\S+) \.\.\. FAILED$/gm), // cargo test
  ...text.matchAll(/^\s+FAIL\s+(.*)$/gm), // vitest
  ...[...text.matchAll(/^ +\d+ failed\n((?: {4}.*\n)+)/gm)].flatMap(([, list]) => [...list.matchAll(/^ +(.*?) *─*$/gm)]), // Playwright
].map(([, name]) => name));
for (const name of flaky) names.delete(name);
for (const name of names) console.log(`failed: ${name}`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
