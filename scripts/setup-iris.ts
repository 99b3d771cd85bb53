/** `npm run setup:iris`: a Python environment under .tools/iris with the pinned Iris of Marin, controller and worker. */

import { setUpPythonTools } from './setup/python-tools.ts';

process.exitCode = await setUpPythonTools({
  name: 'iris',
  title: 'Iris',
  requirements: 'iris-requirements.txt',
  // As its wheels say: before 3.13.
  pythons: [11, 12],
  cost: 'about 600 MB, a minute or three',
  probes: [['python', '-c', 'import iris.cluster.controller.main, iris.cluster.worker.worker, finelog.embedded']],
});
