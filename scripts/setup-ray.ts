/** `npm run setup:ray`: a Python environment under .tools/ray with the pinned Ray and uv. */

import { setUpPythonTools } from './setup/python-tools.ts';

process.exitCode = await setUpPythonTools({
  name: 'ray',
  title: 'Ray',
  requirements: 'ray-requirements.txt',
  pythons: [10, 13],
  cost: 'about 400 MB, a minute or two',
  probes: [
    ['ray', '--version'],
    ['uv', '--version'],
  ],
});
