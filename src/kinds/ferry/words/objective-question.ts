/** The question about a ferry's objective, where the lab wants it asked: what can be answered, and what each answer brings. */

/** Title and body of the issue that asks; `date` is the day of the ferry. */
export function renderObjectiveQuestion(date: string): { readonly title: string; readonly body: string } {
  return {
    title: `What is the daily ferry of ${date} for?`,
    body: `The objective of today's ferry is not clear, so nothing was edited. Answer here with one line:

- \`/propose objective="integration"\` for the normal daily integration check, with a candidate of the lab's list
- \`/propose objective="regression: …"\` to confirm or rule out a regression by running the same configuration again
- \`/propose learning_rate=4e-3 objective="integration: …"\` for a change of your own; the knobs are those of the experiment file
- \`/skip reason="…"\` for no ferry today
`,
  };
}
