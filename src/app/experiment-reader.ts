/** Reads experiment files in every format. */

import { dataFormatOf, readDataFile } from '../delta/read-data-file.ts';
import type { ReadExperiment } from '../domain/launch/change-facts.ts';
import { createPythonReader } from '../host/python-child.ts';

/** `path`: the PATH for interpreters. A suffix that is no data format is read as Python. */
export function createExperimentReader(path: string): ReadExperiment {
  const readPython = createPythonReader(path);
  return async (source, file) => {
    const format = dataFormatOf(file.path);
    return format === null ? readPython(source, file.python) : readDataFile(source, format);
  };
}
