/**
 * Expressions that must not occur in a script, because the runner inserts their text before the shell reads
 * it.
 */

/** Expressions with a text that no outsider can choose. All others must go through `env:` and quotes. */
const TRUSTED = [
  /^github\.(?:sha|run_id|run_number|run_attempt|workspace|repository_id)$/,
  /^runner\.\w+$/,
  /^matrix\.[\w-]+$/,
];

/** The `${{ }}` of a script that are not on the list of harmless expressions. */
export function untrustedIn(script: string): readonly string[] {
  return [...script.matchAll(/\$\{\{\s*(.*?)\s*\}\}/gs)]
    .map((match) => match[1] ?? '')
    .filter((expression) => !TRUSTED.some((pattern) => pattern.test(expression)));
}
