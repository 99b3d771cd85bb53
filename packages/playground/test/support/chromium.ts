/** The browser for the tests: its path, or why a page test is skipped. */

import { execaSync } from 'execa';

/** Path of Chromium, null if there is none. */
export const chromiumPath = findChromium();
/** The reason given by a skipped test. */
export const noChromium = 'no Chromium (CHROMIUM_PATH, or `chromium` on the PATH)';

function findChromium(): string | null {
  const named = process.env['CHROMIUM_PATH'];
  if (named !== undefined && named !== '') return named;
  const found = execaSync('which', ['chromium'], { reject: false });
  return found.exitCode === 0 ? found.stdout.trim() : null;
}
