/** The script that Slurm starts: the same text for every job, so that no value is ever read by a shell; values come by files. */

/**
 * Arguments: the job's folder, and `once` or `restarts`. Bash 4.4, ln, rm and mkdir are all that it needs.
 *
 * The right to start is the hard link `owner`, which one Slurm job alone can make, and then the link of this very start:
 * whatever was submitted twice, the command starts once (again only where Slurm may restart it). Slurm 22.05 knows no
 * `--export=NIL` and loads the login environment of the account, so the script clears what is not Slurm's own.
 */
export const WRAPPER = `#!/bin/bash
while read -r name; do unset -f "$name"; done < <(compgen -A function)
while read -r name; do
  case $name in
    SLURM_EXPORT_ENV | SLURM_GET_USER_ENV) unset -v "$name" ;;
    SLURM* | CUDA_VISIBLE_DEVICES | GPU_DEVICE_ORDINAL | ROCR_VISIBLE_DEVICES | ZE_AFFINITY_MASK) ;;
    NVIDIA_* | PATH | PWD | USER | LOGNAME | TMPDIR | HOSTNAME) ;;
    *) unset -v "$name" ;;
  esac
done < <(compgen -e)
PATH=/usr/local/bin:/usr/bin:/bin
folder=$1 mode=$2 restart=\${SLURM_RESTART_COUNT:-0}
umask 077
refuse() { printf 'ferrybot: %s\\n' "$1" >&2; exit 1; }
now() { printf '%(%s)T000' -1; }

[[ $SLURM_JOB_ID =~ ^[0-9]+$ && $restart =~ ^[0-9]+$ ]] || refuse 'this is no job of Slurm'
[[ -z $SLURM_ARRAY_JOB_ID && \${SLURM_HET_SIZE:-1} == 1 ]] || refuse 'a job array or a heterogeneous job is not started'
draft=$folder/.draft-$SLURM_JOB_ID-$restart-$RANDOM$RANDOM
printf '%s\\n' "$SLURM_JOB_ID" > "$draft" || refuse "$folder cannot be written"
ln "$draft" "$folder/owner" 2> /dev/null
rm -f "$draft"
read -r owner < "$folder/owner" || refuse 'nobody can say whose this start is'
[[ $owner == "$SLURM_JOB_ID" ]] || { printf 'ferrybot: %s has this run: nothing is started\\n' "$owner"; exit 0; }
((restart == 0)) || [[ $mode == restarts ]] || refuse 'a restart by Slurm was not approved'

node=\${SLURMD_NODENAME//[^A-Za-z0-9._-]/}
token=$SLURM_JOB_ID-$restart-$RANDOM$RANDOM$RANDOM
printf '{"slurmJobId":%s,"restart":%s,"startedAtMs":%s,"node":"%s","token":"%s"}\\n' \\
  "$SLURM_JOB_ID" "$restart" "$(now)" "$node" "$token" > "$draft" || refuse "$folder cannot be written"
ln "$draft" "$folder/begin-$restart.json" 2> /dev/null
rm -f "$draft"
read -r begun < "$folder/begin-$restart.json" || refuse 'nobody can say whether this was started'
[[ $begun == *"\\"$token\\""* ]] || refuse 'this was started before: it is not started again'

mapfile -d '' -t FERRYBOT_ENVIRONMENT < "$folder/environment" || refuse 'the file with the environment is gone'
[[ $mode == restarts ]] || rm -f "$folder/environment"
mapfile -d '' -t FERRYBOT_COMMAND < "$folder/command" || refuse 'the file with the command is gone'
mapfile -d '' -t FERRYBOT_MODULES < "$folder/modules" || refuse 'the file with the modules is gone'
export HOME=$folder/home
mkdir -p "$HOME"
if ((\${#FERRYBOT_MODULES[@]} > 0)); then
  source "\${FERRYBOT_MODULES[0]}" || refuse "\${FERRYBOT_MODULES[0]} brings no modules"
  module load "\${FERRYBOT_MODULES[@]:1}" || refuse 'the modules could not be loaded'
fi
cd "$folder/tree" || refuse 'the shipped files are gone'
unset -v OLDPWD

# Slurm asks the whole job to end by SIGTERM: this script has to outlive its command, to write down how that ended.
child='' interrupted=0
trap 'interrupted=1; [[ -z $child ]] || kill -TERM "$child" 2> /dev/null' TERM
((interrupted == 0)) || refuse 'Slurm ended it before it began'
(
  umask 022
  # Every other name may be one of the job's own; an array would not be given on under its name.
  set -- "\${FERRYBOT_COMMAND[@]}"
  for FERRYBOT_ENTRY in "\${FERRYBOT_ENVIRONMENT[@]}"; do export "$FERRYBOT_ENTRY"; done
  exec -- "$@"
) >> "$folder/log" 2>&1 < /dev/null &
child=$!
# The signal may have come between the two lines above.
((interrupted == 0)) || kill -TERM "$child" 2> /dev/null
unset FERRYBOT_ENVIRONMENT
while :; do
  interrupted=0
  wait "$child"
  code=$?
  ((interrupted)) || break
done
printf '{"slurmJobId":%s,"restart":%s,"endedAtMs":%s,"code":%s}\\n' \\
  "$SLURM_JOB_ID" "$restart" "$(now)" "$code" > "$draft" && ln "$draft" "$folder/end-$restart.json"
rm -f "$draft"
exit "$code"
`;
