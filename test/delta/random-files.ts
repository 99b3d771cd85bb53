/**
 * Random experiment files with known knobs: their names and positions are generated, not parsed from the
 * text.
 */

import fc from 'fast-check';

/** A value in two spellings with the same meaning. */
export type Value = { readonly text: string; readonly again: string };

/** A piece of a file: fixed text, or a knob. `once` pieces of one group may be in any order. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'knob'; readonly path: string; readonly value: Value }
  | {
      readonly kind: 'group';
      readonly open: string;
      readonly items: readonly (readonly Piece[])[];
      readonly close: string;
    };

export type RandomFile = { readonly pieces: readonly Piece[]; readonly paths: readonly string[] };

const text = (words: string): Piece => ({ kind: 'text', text: words });
const spelled = (one: string, again: string = one): Value => ({ text: one, again });

/** Values that differ from one another in value or type. */
export const VALUES: readonly Value[] = [
  spelled('3e-3', '0.003'),
  spelled('1000', '1_000'),
  spelled('1000.0', '1e3'),
  spelled('1'),
  spelled('True'),
  spelled('1.0'),
  spelled('None'),
  spelled("'linear'", '"linear"'),
  spelled('"it\'s"', "'it\\'s'"),
  spelled("'None'"),
  spelled('-1', '- 1'),
  spelled('255', '0xFF'),
  spelled('mix', '(mix)'),
  spelled('models.small', 'models . small'),
  spelled('6 * 512', '(6)*512'),
  spelled("b'raw'", 'b"raw"'),
  spelled("int(os.environ.get('STEPS', '5'))", 'int( os.environ.get("STEPS", "5") )'),
  spelled('2j', '2.0J'),
  spelled('[1, "a"]', "[ 1, 'a' ]"),
  spelled('(8, low)', '(8, (low))'),
];

const NAMES = ['lr', 'steps', 'seed', 'decay', 'model', 'weights', 'warmup'] as const;
const CALLEES = ['Config', 'Adam', 'lab.train', 'ResourceConfig.with_tpu'] as const;

const value = fc.constantFrom(...VALUES);
const names = fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 });

const { slot } = fc.letrec<Record<'slot' | 'call' | 'positions' | 'dict' | 'list' | 'tuple' | 'leaf', Shape>>(
  (tie) => ({
    leaf: value.map(
      (one): Shape =>
        (path) => [{ kind: 'knob', path, value: one }],
    ),
    call: fc.tuple(fc.constantFrom(...CALLEES), names, fc.array(tie('slot'), { minLength: 4, maxLength: 4 })).map(
      ([callee, keys, values]): Shape =>
        (path) => [
          {
            kind: 'group',
            open: `${callee}(`,
            items: keys.map((key, at) => [text(`${key}=`), ...(values[at]?.(`${path}.${callee}().${key}`) ?? [])]),
            close: ')',
          },
        ],
    ),
    dict: fc.tuple(names, fc.array(tie('slot'), { minLength: 4, maxLength: 4 })).map(
      ([keys, values]): Shape =>
        (path) => [
          {
            kind: 'group',
            open: '{',
            items: keys.map((key, at) => [text(`"${key}": `), ...(values[at]?.(`${path}["${key}"]`) ?? [])]),
            close: '}',
          },
        ],
    ),
    list: fc.array(tie('dict'), { minLength: 1, maxLength: 3 }).map(
      (values): Shape =>
        (path) => [text('['), ...values.flatMap((one, at) => [...one(`${path}[${at}]`), text(', ')]), text(']')],
    ),
    positions: fc
      .tuple(fc.constantFrom(...CALLEES), fc.array(tie('slot'), { minLength: 1, maxLength: 2 }), tie('slot'))
      .map(
        ([callee, values, last]): Shape =>
          (path) => [
            text(`${callee}(`),
            ...values.flatMap((one, at) => [...one(`${path}.${callee}()[${at}]`), text(', ')]),
            text('flag='),
            ...last(`${path}.${callee}().flag`),
            text(')'),
          ],
      ),
    tuple: fc.array(tie('dict'), { minLength: 1, maxLength: 3 }).map(
      (values): Shape =>
        (path) => [text('('), ...values.flatMap((one, at) => [...one(`${path}[${at}]`), text(', ')]), text(')')],
    ),
    slot: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      tie('leaf'),
      tie('leaf'),
      tie('call'),
      tie('positions'),
      tie('tuple'),
      tie('dict'),
      tie('list'),
    ),
  }),
);

/** A value with the pieces around it. */
type Shape = (path: string) => readonly Piece[];

const statement = (at: number): fc.Arbitrary<readonly Piece[]> =>
  fc.oneof(
    slot.map((shape) => [text(`NAME_${at} = `), ...shape(`NAME_${at}`), text('\n')]),
    slot.map((shape) => [text(`cfg_${at}.opt.value = `), ...shape(`cfg_${at}.opt.value`), text('\n')]),
    slot.map((shape) => [text(`class Cfg_${at}(Base):\n    rate: float = `), ...shape(`Cfg_${at}.rate`), text('\n')]),
    slot.map((shape) => [text(`def default_${at}(x, *, y=`), ...shape(`default_${at}.y`), text('):\n    return x\n')]),
    slot.map((shape) => [
      text(`if mode_${at}:\n    run_${at}(**dict(kind=`),
      ...shape(`run_${at}().dict().kind`),
      text('))\n'),
    ]),
    slot.map((shape) => [
      text(`def build_${at}():\n    """Docstring ${at}."""\n    return wrap_${at}(it=`),
      ...shape(`build_${at}.wrap_${at}().it`),
      text(')\n'),
    ]),
  );

/** A file of up to six statements, and the paths of its knobs in no particular order. */
export const randomFile: fc.Arbitrary<RandomFile> = fc
  .integer({ min: 1, max: 6 })
  .chain((count) => fc.tuple(...Array.from({ length: count }, (_, at) => statement(at))))
  .map((statements) => {
    const pieces = statements.flat();
    return { pieces, paths: pathsIn(pieces) };
  });

function pathsIn(pieces: readonly Piece[]): readonly string[] {
  return pieces.flatMap((piece) => {
    if (piece.kind === 'knob') return [piece.path];
    return piece.kind === 'group' ? piece.items.flatMap(pathsIn) : [];
  });
}

/** The layout of a file: none of this is a change. */
export type Layout = { readonly respell: boolean; readonly reverse: boolean; readonly lines: boolean };

/** The text of a file with some knobs at other values. */
export function written(file: RandomFile, values: ReadonlyMap<string, Value>, layout: Layout): string {
  const write = (piece: Piece): string => {
    switch (piece.kind) {
      case 'text':
        return piece.text;
      case 'knob':
        return values.get(piece.path)?.text ?? (layout.respell ? piece.value.again : piece.value.text);
      case 'group':
        return writeGroup(piece);
    }
  };
  const writeGroup = ({ open, items, close }: Extract<Piece, { kind: 'group' }>): string => {
    const texts = (layout.reverse ? items.toReversed() : items).map((item) => item.map(write).join(''));
    if (!layout.lines) return `${open}${texts.join(', ')}${close}`;
    return `${open}\n  ${texts.join(',  # next, "please"\n        ')},\n${close}`;
  };
  const body = file.pieces.map(write).join('');
  return layout.lines ? `# a comment\n\n${body}`.replaceAll('Docstring', 'Other words') : body;
}

/** The value of a knob in the file. */
export function valueAt(file: RandomFile, path: string): Value | null {
  const find = (pieces: readonly Piece[]): Value | null => {
    for (const piece of pieces) {
      if (piece.kind === 'knob' && piece.path === path) return piece.value;
      const inner = piece.kind === 'group' ? piece.items.map(find).find((one) => one !== null) : null;
      if (inner != null) return inner;
    }
    return null;
  };
  return find(file.pieces);
}
