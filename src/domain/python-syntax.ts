/** A Python file as a syntax tree: neutral and immutable, so that the core never sees the parser library behind it. */

/** One node. Offsets count UTF-16 units of the text, `end` is exclusive; line and column are 1-based. */
export type PyNode = {
  /** The grammar's name (`call`, `keyword_argument`), or the token itself (`(`, `for`) where `isNamed` is false. */
  readonly kind: string;
  /** The role in the parent (`name`, `value`), where the grammar gives one. */
  readonly field: string | null;
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly column: number;
  readonly children: readonly PyNode[];
  readonly isNamed: boolean;
  /** The parser skipped text here that fits nowhere. */
  readonly isError: boolean;
  /** The parser put in a token that the text does not have. */
  readonly isMissing: boolean;
};

/** Why a text is not read: it passes a limit, or an interpreter would not compile it. Lines count from 1. */
export type PyRefusal = { readonly line: number; readonly message: string };

/** A text with its tree. Errors stand in the tree as nodes; where `refusal` is set, nobody looks at it. */
export type PySyntax = {
  readonly text: string;
  readonly root: PyNode;
  /** The parser had to guess somewhere, perhaps without leaving a node that says where. */
  readonly hasErrors: boolean;
  readonly refusal: PyRefusal | null;
};

/** Reads Python text; never throws for what the text says. */
export type PythonParser = { readonly parse: (text: string) => PySyntax };

/** Adds the refusal of a Python interpreter, where one is at hand that can judge the text. */
export type JudgeSyntax = (syntax: PySyntax, interpreter: string) => Promise<PySyntax>;

/** The child in a role, or null. */
export function childIn(node: PyNode, field: string): PyNode | null {
  return node.children.find((child) => child.field === field) ?? null;
}

/** The named children, without comments and line continuations. */
export function partsOf(node: PyNode): readonly PyNode[] {
  return node.children.filter(
    (child) => child.isNamed && child.kind !== 'comment' && child.kind !== 'line_continuation',
  );
}
