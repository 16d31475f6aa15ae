/** Which requests a policy, or a binding of one, is about. */

import { type LabelSelectorObject, labelSelectorOf, matches as matchesLabels } from '../../kit/selectors.ts';
import { isMap, type JsonMap } from '../json.ts';
import type { AdmissionRequest, MatchResources, ResourceRule } from './policy.ts';

export function matches(request: AdmissionRequest, resources: MatchResources): boolean {
  const { resourceRules = [], excludeResourceRules = [], namespaceSelector, objectSelector } = resources;
  if (!namespaceFits(request, namespaceSelector) || !objectFits(request, objectSelector)) return false;
  if (excludeResourceRules.some((rule) => ruleFits(request, rule))) return false;
  return resourceRules.length === 0 || resourceRules.some((rule) => ruleFits(request, rule));
}

function ruleFits(
  { operation, resource, subresource = '', name = '', namespace = '' }: AdmissionRequest,
  rule: ResourceRule,
): boolean {
  const { scope = '*', resourceNames = [] } = rule;
  const isScope = scope === '*' || (scope === 'Namespaced') === (resource.namespaced && namespace !== '');
  return (
    isScope &&
    isOneOf(rule.operations, operation) &&
    isOneOf(rule.apiGroups, resource.group) &&
    isOneOf(rule.apiVersions, resource.version) &&
    (rule.resources ?? []).some((pattern) => resourceFits(pattern, resource.plural, subresource)) &&
    (resourceNames.length === 0 || resourceNames.includes(name))
  );
}

const isOneOf = (patterns: readonly string[] = [], value: string): boolean =>
  patterns.includes('*') || patterns.includes(value);

/** A star stands for all resources, or behind the slash for all subresources. Without a slash it means no subresource. */
function resourceFits(pattern: string, plural: string, subresource: string): boolean {
  const [resource = '', part = ''] = pattern.split('/');
  return (resource === '*' || resource === plural) && (part === '*' || part === subresource);
}

/** A namespace is judged by its own labels. */
function namespaceFits(
  { resource, namespaceObject, object, oldObject }: AdmissionRequest,
  selector: LabelSelectorObject | undefined,
): boolean {
  if (selector === undefined || labelSelectorOf(selector).length === 0) return true;
  if (resource.kind === 'Namespace' && resource.group === '') return selects(selector, labelsOf(object ?? oldObject));
  return !resource.namespaced || selects(selector, labelsOf(namespaceObject));
}

/** What it was counts as well as what it is to be. */
function objectFits({ object, oldObject }: AdmissionRequest, selector: LabelSelectorObject | undefined): boolean {
  if (selector === undefined || labelSelectorOf(selector).length === 0) return true;
  return [object, oldObject].some((each) => each !== undefined && selects(selector, labelsOf(each)));
}

export function labelsOf(object: JsonMap | undefined): JsonMap {
  const metadata = object?.metadata;
  return isMap(metadata) && isMap(metadata.labels) ? metadata.labels : {};
}

export const selects = (selector: LabelSelectorObject, labels: JsonMap): boolean =>
  matchesLabels(labelSelectorOf(selector), labels as Readonly<Record<string, string>>);
