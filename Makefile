# Every target does the set-up that it needs and is quick when there is nothing to do.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
# Tiers share the machine's devices and ports, and each one uses all cores by itself: also with -j they run one after another.
.NOTPARALLEL:
.PHONY: help setup demo test check unit simulation conformance integration host lab browser e2e campaign simulation-campaign mutations bench control-plane helm s3-server azurite console-page bundle image manifests deploy sandbox-schemas docs format

# npm scripts and these recipes run on the Node.js that package-lock.json pins, whatever the machine has.
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
SETUP := node_modules/.setup
say = @printf '\033[1m%s\033[0m\n' "$(1)" >&2

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(SETUP) ## Install the dependencies

$(SETUP): package.json package-lock.json
	$(call say,Installing the dependencies)
	@command -v npm >/dev/null || { echo "make setup needs Node.js 20 or newer with npm: https://nodejs.org" >&2; exit 1; }
	@npm ci --no-audit --no-fund --loglevel=error
	@touch $@

demo: $(SETUP) console-page ## Show all five jobs at work on two clusters inside of the program
	@node src/main.ts demo

test: check simulation conformance integration host lab browser ## Run every test tier but the campaign

check: $(SETUP) ## Types, lint, dead code, layers and unit tests; under a minute
	@tools/side-by-side.sh Types 'tsc -p .' 'Types of the page' 'tsc -p web' 'Lint and format' 'biome check --error-on-warnings' 'Dead code' 'knip --cache'
	@$(MAKE) --no-print-directory unit

unit: $(SETUP) ## Run the unit tests
	$(call say,Unit tests)
	@vitest run --project unit

simulation: $(SETUP) ## Run whole jobs on simulated machines and clusters, with faults, crashes and power cuts
	$(call say,Simulation: faults, crashes and power cuts)
	@vitest run --project simulation

conformance: $(SETUP) control-plane ## Ask the sandbox and a real Kubernetes API server the same questions
	$(call say,Conformance: the sandbox and a real control plane answer alike)
	@vitest run --project conformance

integration: $(SETUP) control-plane helm s3-server azurite console-page ## Run the tests against a real Kubernetes API server
	$(call say,Integration tests: a real etcd and Kubernetes control plane)
	@vitest run --project integration

host: $(SETUP) control-plane console-page ## Run the tests on real block devices (as root)
	$(call say,Host tests: real block devices)
	@tools/host-tier.sh

lab: $(SETUP) control-plane ## Run the tests in guests with a kernel of their own: LVM, LUKS, RAID, power cuts
	$(call say,Lab tests: a User-Mode Linux guest with a real device mapper)
	@tools/lab-tier.sh

browser: $(SETUP) console-page ## Run the tests of the console's page in a real browser; its pictures are in dist/screenshots
	$(call say,Browser tests: the console in Chromium)
	@tools/browser-tier.sh

e2e: $(SETUP) control-plane helm image ## Run the chart and the images on a real node with containerd and kubelet (as root)
	$(call say,End to end: the images on a real node)
	@tools/node-tier.sh

campaign: $(SETUP) simulation-campaign control-plane ## Run what takes longest: every fault at every call of every job, pools with 2 GB that are scaled and killed, every feature of lvm on a real node
	$(call say,Campaign: pools with 2 GB under constant use)
	@POOL_MEGABYTES=2000 vitest run --project integration test/integration/pool/scaling.test.ts
	$(call say,Campaign: whole nodes in guests)
	@tools/lab/build.sh >/dev/null
	@vitest run --project lab-node

simulation-campaign: $(SETUP) ## Put every fault at every call of all jobs, alone and together; SIZE=small, medium, large or all, STORY=lvm, SEED=1, MINUTES=60, REPORT=FILE
	$(call say,Campaign: every fault at every call of all jobs, on virtual time)
	@node --disable-warning=ExperimentalWarning tools/campaign/run.ts --size $(or $(SIZE),small) --seed $(or $(SEED),1) $(STORY:%=--story %) $(MINUTES:%=--minutes %) $(REPORT:%=--report %)

mutations: $(SETUP) ## Put small bugs into the decisions of all jobs, one at a time, and see whether the tests find each; COUNT=120 says how many, SEED=12 which
	@node --disable-warning=ExperimentalWarning tools/mutations/run.ts --count $(or $(COUNT),120) --seed $(or $(SEED),1)

bench: $(SETUP) control-plane s3-server bundle ## Measure against the physical limits; GROUP=kit chooses a group
	@node bench/run.ts $(GROUP)

control-plane: ## Build etcd and Kubernetes for the tests, once, and print where they are
	@tools/control-plane/build.sh

helm: ## Build helm for the tests of the chart, once, and print where it is
	@tools/helm/build.sh

s3-server: ## Build an S3 server for the tests, once, and print where it is
	@tools/s3-server/build.sh

azurite: ## Install a server of Azure Blob Storage for the tests, once, and print where it is
	@tools/azurite/build.sh

console-page: $(SETUP) ## Build the console's page, dist/console
	@node tools/console/build.ts

bundle: $(SETUP) console-page ## Make the program one file, dist/holdfast.mjs
	@node tools/bundle.ts

DEBIAN_KEYRING := /usr/share/keyrings/debian-archive-keyring.gpg

image: bundle ## Build the container images as archives in dist/image, without a container engine
	@for program in apt-get dpkg-deb; do command -v $$program >/dev/null || { echo "make image needs $$program, as Debian and Ubuntu have it; elsewhere there is the Dockerfile: docs/image.md" >&2; exit 1; }; done
	@[ -e $(DEBIAN_KEYRING) ] || { echo "make image needs the keys that Debian signs its packages with: install debian-archive-keyring" >&2; exit 1; }
	@node tools/image/build.ts

# The chart puts its own namespace and accounts in the place of these two names.
IN_CHART := --output-dir charts/holdfast/files --namespace=RELEASE_NAMESPACE --service-account=AGENT_ACCOUNT

manifests: $(SETUP) ## Write the generated CRDs, RBAC and admission policies to deploy/ and into the chart
	@node src/main.ts manifests all --output-dir deploy
	@node src/main.ts manifests crds $(IN_CHART)
	@node src/main.ts manifests rbac $(IN_CHART)
	@node src/main.ts manifests admission $(IN_CHART)

deploy: $(SETUP) manifests helm ## Write plain manifests for kubectl, made of the chart, to deploy/install
	@node tools/deploy/write.ts

sandbox-schemas: $(SETUP) control-plane ## Write what the sandbox knows about built-in kinds, from a real API server and its sources
	@node tools/sandbox-schemas/write.ts

docs: $(SETUP) ## Write the tables of reference into docs/
	@node tools/reference/write.ts

format: $(SETUP) ## Format the code
	@biome check --write
