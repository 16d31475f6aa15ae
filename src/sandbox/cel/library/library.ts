/** All functions and types that expressions may use, and those that only Kubernetes knows. */
import { CelType } from '../values.ts';
import type { CelFunction } from './arguments.ts';
import { CONVERSION_METHODS, CONVERSIONS } from './conversions.ts';
import { KUBERNETES_FUNCTIONS, KUBERNETES_METHODS } from './kubernetes.ts';
import { LIST_FUNCTIONS, LIST_METHODS } from './lists.ts';
import { STRING_FUNCTIONS, STRING_METHODS } from './strings.ts';

export const FUNCTIONS: ReadonlyMap<string, CelFunction> = new Map(
  Object.entries({ ...CONVERSIONS, ...STRING_FUNCTIONS, ...LIST_FUNCTIONS, ...KUBERNETES_FUNCTIONS }),
);

export const METHODS: ReadonlyMap<string, CelFunction> = new Map(
  Object.entries({ ...CONVERSION_METHODS, ...STRING_METHODS, ...LIST_METHODS, ...KUBERNETES_METHODS }),
);

const NAMES = ['bool', 'bytes', 'double', 'int', 'list', 'map', 'null_type', 'string', 'type', 'uint', 'optional_type'];

export const TYPES: ReadonlyMap<string, CelType> = new Map(NAMES.map((name) => [name, new CelType(name)]));

/** Methods have a dot before their names. */
export const UNSUPPORTED: ReadonlySet<string> = new Set(
  [
    'cidr isCIDR semver isSemver ip.isCanonical format.named format.uuid format.date format.datetime format.byte format.uri',
    'format.dns1035Label format.dns1035LabelPrefix format.dns1123LabelPrefix format.dns1123SubdomainPrefix',
    '.containsIP .containsCIDR .prefixLength .masked .isCanonical .isGlobalUnicast .isLinkLocalUnicast .isLinkLocalMulticast',
    '.major .minor .patch .sortBy .getDayOfYear .getMilliseconds',
    '.path .group .serviceAccount .resource .subresource .namespace .name .check .allowed .reason .errored .error',
    '.fieldSelector .labelSelector',
  ].flatMap((line) => line.split(' ')),
);
