# The images of Holdfast, for those who have a container engine: docker build --target cluster . (or node, or a job).
# `make image` builds the same without one. What is in them is listed in tools/image/contents.ts, for both.
#
# The base is pinned by its tag. To pin it by its digest as well, which no registry can change, look the digest up
# (docker buildx imagetools inspect node:26.10.0-trixie-slim) and build with
# --build-arg BASE=node:26.10.0-trixie-slim@sha256:…
ARG BASE=node:26.10.0-trixie-slim

FROM ${BASE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY src src
COPY test/invariants test/invariants
COPY web web
COPY tools tools
COPY LICENSE tsconfig.json ./
ARG COMMIT=
# The time that the files and the bill of materials have: that of the commit (git log -1 --format=%ct).
ARG SOURCE_DATE_EPOCH=0
RUN node tools/console/build.ts && node tools/bundle.ts --commit "${COMMIT}" && node tools/image/build.ts --roots /roots

FROM scratch AS cluster
COPY --from=build /roots/cluster/ /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
ENV SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt
LABEL org.opencontainers.image.title="holdfast"
LABEL org.opencontainers.image.description="Looks after the PersistentVolumes of a Kubernetes cluster."
LABEL org.opencontainers.image.licenses="Apache-2.0"
LABEL dev.holdfast.sbom="/usr/share/holdfast/sbom.spdx.json"
WORKDIR /app
STOPSIGNAL SIGTERM
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/holdfast"]

# Its agents look after the disks of their machine: they are root, and privileged.
FROM scratch AS node
COPY --from=build /roots/node/ /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
ENV SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt
LABEL org.opencontainers.image.title="holdfast"
LABEL org.opencontainers.image.description="Looks after the PersistentVolumes of a Kubernetes cluster."
LABEL org.opencontainers.image.licenses="Apache-2.0"
LABEL dev.holdfast.sbom="/usr/share/holdfast/sbom.spdx.json"
WORKDIR /app
STOPSIGNAL SIGTERM
USER 0:0
ENTRYPOINT ["/usr/local/bin/holdfast"]

# One for each job, which takes the flags of the program that it replaces.
FROM cluster AS topology
ENTRYPOINT ["/pv-labels-operator"]

FROM cluster AS pool
ENTRYPOINT ["/manager"]

FROM cluster AS sync
ENTRYPOINT ["/usr/local/bin/pvsync"]

# As root, as the original's: its volumes belong to root. A pool that is made anew has its agents run as nobody, whatever the image says.
FROM cluster AS storage-agent
USER 0:0
ENTRYPOINT ["node", "storage-agent.js"]

FROM node AS devices
ENTRYPOINT ["/local-pv-provisioner"]

FROM node AS lvm
ENTRYPOINT ["/k8s-local-pv"]
