/** What an instance runs around the job's command, in bash: it unpacks the tree, says where the log stands, and sees to its own end. */

/**
 * `"$@"` is the command. It starts once, also where a container is started again, without the keys of the instance. The log
 * gets a line with its length in bytes now and then, so that its last lines alone tell where they stand; a line of the
 * command's own that looks like one is moved by a blank, so that no job says that it has ended while it runs. When the command
 * has ended the instance waits so long that its log can be read, and destroys itself; and so it does after its longest
 * lifetime, whoever watches or not. It asks until it is gone: an API that is away for an hour costs an hour and no more.
 */
export const WRAPPER = String.raw`
export LC_ALL=C
umask 077
mark="::ferrybot $FERRYBOT_SUBMISSION_ID"
root="$PWD/.ferrybot"
destroy() {
  while :; do
    if command -v curl >/dev/null; then
      printf 'header = "Authorization: Bearer %s"\n' "$CONTAINER_API_KEY" |
        curl -sS -m 60 -o /dev/null -K - -X DELETE -H 'content-type: application/json' -d '{}' "$FERRYBOT_API/api/v0/instances/$CONTAINER_ID/"
    else
      python3 -c 'import os, urllib.request as r
r.urlopen(r.Request(os.environ["FERRYBOT_API"] + "/api/v0/instances/" + os.environ["CONTAINER_ID"] + "/", b"{}", {"Authorization": "Bearer " + os.environ["CONTAINER_API_KEY"], "content-type": "application/json"}, method="DELETE"), timeout=60)'
    fi
    sleep 30
  done
}
( sleep "$FERRYBOT_LIFETIME_S"; destroy ) >/dev/null 2>&1 &
now() { date +%s%3N; }
begun=$(now)
over() {
  printf '%s end %s %s %s::\n' "$mark" "$begun" "$(now)" "$(cat "$root/code" 2>/dev/null || printf 98)"
  sleep "$FERRYBOT_GRACE_S"
  destroy >/dev/null 2>&1
}
mkdir "$root" || { over; exit 98; }
printf '%s at 0::\n' "$mark"
mkdir "$root/tree"
parts=""
for name in $(compgen -v FERRYBOT_TREE_ | sort -t_ -k3n); do parts="$parts$(printenv "$name")"; unset "$name"; done
if printf '%s' "$parts" | base64 -d | tar -xz -C "$root/tree"; then
  unset parts
  (
    cd "$root/tree" || exit 97
    set +e
    env -u CONTAINER_API_KEY -u FERRYBOT_JOB -u FERRYBOT_API -u FERRYBOT_OFFER "$@" 2>&1
    printf '%s' "$?" > "$root/code"
  ) | {
    at=0 told=0 lines=0
    while IFS= read -r line || [ -n "$line" ]; do
      case "$line" in "$mark "*) line=" $line" ;; esac
      printf '%s\n' "$line"
      at=$((at + ${'$'}{#line} + 1)) lines=$((lines + 1))
      if [ $((at - told)) -ge 65536 ] || [ $((lines % 100)) -eq 0 ]; then printf '%s at %s::\n' "$mark" "$at"; told=$at; fi
    done
    printf '%s at %s::\n' "$mark" "$at"
  }
else
  printf '97' > "$root/code"
fi
over
`.trim();
