/** What the `iris` engine needs from its surroundings. */

import type { Http } from '../http.ts';
import type { IrisCluster } from './schema.ts';

export type IrisSettings = {
  readonly cluster: IrisCluster;
  /** The controller, with a slash at its end. */
  readonly address: string;
  /** An API key; null where none is sent. */
  readonly token: string | null;
  readonly http: Http;
  readonly now: () => number;
  readonly sleep: (durationMs: number) => Promise<unknown>;
};

/** Iris's own name of a job: `/<user>/<name>`; names hold no slash (file-records.ts, isSubmissionId). */
export function irisIdOf({ cluster }: IrisSettings, jobId: string): string {
  return `/${cluster.user}/${jobId}`;
}
