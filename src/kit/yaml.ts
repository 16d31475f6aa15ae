/** Objects as YAML, the same bytes for the same objects, in the way that Kubernetes manifests are usually written. */
import { stringify } from 'yaml';

/** Text is never folded: a diff shows the line that changed and no other. Numbers and words that YAML 1.1 would misread are quoted. */
const STYLE = { lineWidth: 0, version: '1.1', aliasDuplicateObjects: false } as const;

export const toYaml = (value: unknown): string => stringify(value, STYLE);

/** Several objects in one file, as `kubectl apply -f` takes it. */
export const toYamlDocuments = (values: readonly unknown[]): string => values.map(toYaml).join('---\n');
