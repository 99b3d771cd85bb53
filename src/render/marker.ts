/**
 * The hidden line that every comment of ferrybot carries: it says which event a comment publishes, so that nothing is
 * posted twice. It is a cache of the logbook and never authoritative; only our own comments' markers are believed.
 */

export const MARKER_KINDS = [
  'answer',
  'launch',
  'first-eval',
  'incident',
  'drop',
  'mutation',
  'ended',
  'sealed',
  'closed',
  'card',
  'issue',
  'pull',
  'closure',
  'disk',
  'disk-change',
  'disk-end',
] as const;
export type MarkerKind = (typeof MARKER_KINDS)[number];

/** `anchor` is `seq:hash` of the newest event (architecture, D1); `fields` are small words without spaces. */
export type Marker = {
  readonly run: string;
  readonly kind: MarkerKind;
  readonly key: string;
  readonly fields: Readonly<Record<string, string>>;
};

const MARKER =
  /<!-- ferrybot:v1 run=([a-z0-9-]+) kind=([a-z-]+) key=([A-Za-z0-9:._-]+)((?: [a-z]+=[A-Za-z0-9:._-]+)*) -->/;

/** The marker as the first line of a comment's source. Every part is restricted to characters that cannot end it. */
export function markerText(marker: Marker): string {
  const fields = Object.entries(marker.fields).map(
    ([name, value]) => ` ${name}=${value.replace(/[^A-Za-z0-9:._-]/g, '_') || '-'}`,
  );
  return `<!-- ferrybot:v1 run=${marker.run} kind=${marker.kind} key=${marker.key}${fields.join('')} -->`;
}

/** The marker of a comment that we wrote, or null. */
export function readMarker(body: string): Marker | null {
  const match = MARKER.exec(body);
  if (match === null) return null;
  const [, run = '', kind = '', key = '', rest = ''] = match;
  if (!isMarkerKind(kind)) return null;
  const fields = Object.fromEntries(
    rest
      .trim()
      .split(' ')
      .filter(Boolean)
      .map((pair) => pair.split('=', 2) as [string, string]),
  );
  return { run, kind, key, fields };
}

/** What two markers of the same publication share: the part that a thread is searched for. */
export function markerIdentity(marker: Pick<Marker, 'run' | 'kind' | 'key'>): string {
  return `<!-- ferrybot:v1 run=${marker.run} kind=${marker.kind} key=${marker.key}`;
}

function isMarkerKind(text: string): text is MarkerKind {
  return (MARKER_KINDS as readonly string[]).includes(text);
}
