/** The browser of the tests: where it is, or why a test of the page is left out. */

import { execaSync } from 'execa';

/** Path of Chromium, null where there is none. */
export const chromiumPath = findChromium();
/** The reason that a skipped test gives. */
export const noChromium = 'no Chromium (CHROMIUM_PATH, or `chromium` on the PATH)';

function findChromium(): string | null {
  const named = process.env['CHROMIUM_PATH'];
  if (named !== undefined && named !== '') return named;
  const found = execaSync('which', ['chromium'], { reject: false });
  return found.exitCode === 0 ? found.stdout.trim() : null;
}
