/** Expressions that may not stand inside a script: the runner pastes their text into it before the shell reads it. */

/** Expressions whose text nobody outside can choose. Everything else goes through `env:` and quotes. */
const TRUSTED = [
  /^github\.(?:sha|run_id|run_number|run_attempt|workspace|repository_id)$/,
  /^runner\.\w+$/,
  /^matrix\.[\w-]+$/,
];

/** The `${{ }}` of a script that are not on the list of harmless ones. */
export function untrustedIn(script: string): readonly string[] {
  return [...script.matchAll(/\$\{\{\s*(.*?)\s*\}\}/gs)]
    .map((match) => match[1] ?? '')
    .filter((expression) => !TRUSTED.some((pattern) => pattern.test(expression)));
}
