/** The script that every Iris job runs. Its text is constant and values are arguments, so no shell line parses a value. */

import type { JobSpec } from '../../domain/engine.ts';
import type { IrisCluster } from './definition.ts';

/**
 * Arguments: the job's id, the number of approved restarts, the marker folder or nothing, `NAME=file` for each secret, `--`,
 * and the command. Each start creates a mark, and runs nothing if the mark exists, because Iris may start a job again. Iris
 * places an assigned task once more regardless of its limits. A controller restored from an old checkpoint knows neither the
 * job nor its name. A worker returns an old result for a known name. Without a marker folder, the script refuses an
 * unapproved attempt by its number.
 *
 * The script logs how the command ended, because Iris writes KILLED before anything has ended, and exit code 0 for most
 * ends. It needs only Bash 4 and mkdir.
 */
export const WRAPPER = `job=$1 restarts=$2 marks=$3
shift 3
refuse() { printf 'ferrybot refused %s: %s\\n' "$1" "$2" >&2; exit 97; }
task=\${IRIS_TASK_ID:-}
attempt=0
[[ $task != *:* ]] || attempt=\${task##*:}
[[ $attempt =~ ^[0-9]+$ ]] || refuse set-up 'Iris says no number of the attempt'
if [[ -n $marks ]]; then
  mkdir -p "$marks/$job" 2> /dev/null
  [[ -w $marks/$job ]] || refuse set-up "$marks/$job cannot be written"
  mkdir "$marks/$job/attempt-$attempt" 2> /dev/null || refuse again "attempt $attempt was started before"
  start=0
  until mkdir "$marks/$job/start-$start" 2> /dev/null; do
    ((++start <= restarts)) || refuse restart "$restarts restarts were approved, and they are used"
  done
else
  ((attempt <= restarts)) || refuse restart "attempt $attempt of Iris, where $restarts restarts were approved"
fi
while [[ $1 != -- ]]; do
  [[ -r \${1#*=} ]] || refuse set-up "the file of \${1%%=*} cannot be read"
  export "\${1%%=*}=$(< "\${1#*=}")"
  shift
done
shift
[[ ! -d \${IRIS_WORKDIR:-} ]] || cd "$IRIS_WORKDIR" || refuse set-up 'the shipped files are gone'
child='' interrupted=0
trap 'interrupted=1; [[ -z $child ]] || kill -TERM "$child" 2> /dev/null' TERM
printf 'ferrybot begin %s:%s\\n' "$job" "$attempt"
"$@" < /dev/null &
child=$!
((interrupted == 0)) || kill -TERM "$child" 2> /dev/null
while :; do
  interrupted=0
  wait "$child"
  code=$?
  ((interrupted)) || break
done
printf 'ferrybot end %s:%s %s\\n' "$job" "$attempt" "$code"
exit "$code"
`;

/** The command of a job: an argument array that contains the script. Everybody can read it. */
export function wrapCommand(
  { submissionId, command, secretNames = [] }: JobSpec,
  { markers, secretFiles, maxRetriesPreemption, maxRetriesFailure }: IrisCluster,
): readonly string[] {
  const secrets = secretNames.map((name) => `${name}=${secretFiles[name] ?? ''}`);
  const restarts = String(maxRetriesPreemption + maxRetriesFailure);
  return [...['bash', '-c', WRAPPER, 'ferrybot', submissionId, restarts, markers ?? ''], ...secrets, '--', ...command];
}
