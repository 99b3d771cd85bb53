// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are GitHub's expressions, not templates
/** Expressions have the same results in the playground as on GitHub. */

import { describe, expect, it } from 'vitest';
import { evaluateCondition, evaluateText, evaluateValue, type Scope } from '../../actions/expressions/evaluate.ts';
import { findExpressions } from '../../actions/expressions/find-expressions.ts';
import { WorkflowFault } from '../../actions/workflow/workflow-fault.ts';

const scope = (status: Scope['status'] = 'success'): Scope => ({
  status,
  hashFiles: (patterns) => `hash of ${patterns.join(' ')}`,
  contexts: {
    github: { event_name: 'issue_comment', event: { comment: { body: "it's }} fine" }, labels: [{ name: 'a' }] } },
    inputs: { dry: true, count: 3 },
    needs: { build: { outputs: { digest: 'sha256:1' } } },
  },
});

describe('text with expressions', () => {
  it('keeps the text around expressions and inserts their values', () => {
    expect(evaluateText('run ${{ inputs.count }} of ${{ needs.build.outputs.digest }}!', scope())).toBe(
      'run 3 of sha256:1!',
    );
  });

  it('does not end an expression at braces inside quotes', () => {
    expect(findExpressions("${{ format('}}', 1) }}x")).toEqual([
      { kind: 'expression', text: "format('}}', 1)" },
      { kind: 'text', text: 'x' },
    ]);
  });

  it('keeps the type of a value that is a single expression', () => {
    expect(evaluateValue('${{ inputs.dry }}', scope())).toBe(true);
    expect(evaluateValue('${{ fromJSON(\'["self-hosted","watch"]\') }}', scope())).toEqual(['self-hosted', 'watch']);
    expect(evaluateValue('a ${{ inputs.dry }}', scope())).toBe('a true');
  });

  it.each([
    ["contains(github.event.comment.body, 'FINE')", true],
    ["startsWith('Hello', 'he')", true],
    ["format('{0}-{1}', 'a', inputs.count)", 'a-3'],
    ["join(github.event.labels.*.name, ',')", 'a'],
    ["github.event.nothing.at.all == ''", true],
    ["hashFiles('a', '*.lock')", 'hash of a *.lock'],
    ['toJSON(inputs.count)', '3'],
  ])('%s', (expression, value) => {
    expect(evaluateValue(`\${{ ${expression} }}`, scope())).toEqual(value);
  });

  it('names the expression that cannot be evaluated', () => {
    expect(() => evaluateText('${{ fromJSON(github.event_name) }}', scope())).toThrow(WorkflowFault);
    expect(() => evaluateText('${{ fromJSON(github.event_name) }}', scope())).toThrow(/fromJSON\(github.event_name\)/);
  });
});

describe('an if: condition', () => {
  it.each<[string | null, Scope['status'], boolean]>([
    [null, 'success', true],
    [null, 'failure', false],
    ["github.event_name == 'issue_comment'", 'success', true],
    ["github.event_name == 'issue_comment'", 'failure', false],
    ["github.event_name == 'issue_comment'", 'cancelled', false],
    ['always()', 'cancelled', true],
    ['${{ always() && inputs.dry }}', 'failure', true],
    ['failure()', 'failure', true],
    ['failure()', 'cancelled', false],
    ['cancelled()', 'cancelled', true],
    ['!cancelled()', 'failure', true],
    ["'always()' == 'x'", 'failure', false],
    ['success()', 'skipped', false],
    // Text around an expression makes a non-empty string, which is true, on GitHub and here.
    ['${{ inputs.count == 4 }} and more', 'success', true],
  ])('%s after %s is %s', (condition, status, expected) => {
    expect(evaluateCondition(condition, scope(status))).toBe(expected);
  });
});
