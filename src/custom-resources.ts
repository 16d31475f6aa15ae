/**
 * Every kind of object that Holdfast adds to the API.
 *
 * A new one adds its `CustomResource` here, from the folder of the job that owns it. `make manifests` then writes its
 * CustomResourceDefinition to deploy/.
 */
import type { CustomResource } from './kit/manifests/crd.ts';
import { pvPoolResource } from './pool/custom-resource.ts';
import { persistentVolumeSyncResource } from './sync/custom-resource.ts';

export const customResources: readonly CustomResource[] = [pvPoolResource, persistentVolumeSyncResource];
