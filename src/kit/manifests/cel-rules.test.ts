/** What these mean to the API server is tried in the tests of the jobs that use them: test/integration/devices and test/integration/lvm. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { NodeReports } from '../reports/node-reports.ts';
import { labelIn, reportLimit, rightOrLeft } from './cel-rules.ts';

const CONFIG_MAPS = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
const head = { node: z.string(), at: z.string(), version: z.string(), leftOut: z.number() };

test('a label that is not there is empty, and its name cannot end the text that it stands in', () => {
  expect(labelIn('object', "it's")).toBe("object.metadata.?labels[?'it\\'s'].orValue('')");
});

test('what is right is allowed, and so is what was so before; what is deleted is neither', () => {
  expect(rightOrLeft((object) => `${object}.a`, "'x'")).toBe(
    "object == null || object.a == 'x' || oldObject != null && object.a == oldObject.a",
  );
});

test('the report of an agent is held to its name and its label', () => {
  const reports = new NodeReports({ job: 'sample', rows: 'things', schema: z.object(head) });
  const { name, resource, rules } = reportLimit(reports, CONFIG_MAPS);
  expect([name, resource]).toEqual(['reports', CONFIG_MAPS]);
  expect(rules.map(({ holds }) => holds)).toEqual([
    "variables.objects.all(each, each.metadata.name == 'holdfast-sample-' + variables.node)",
    "variables.objects.all(each, each.metadata.?labels[?'holdfast.dev/report'].orValue('') == 'sample')",
  ]);
});
