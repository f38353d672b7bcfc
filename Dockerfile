# The executable with what it needs of a system, and nothing else: no shell, no package manager. It runs as the user
# 65532, with its data in the volume /data. For amd64 and arm64, neither of which has to be the machine that builds:
#   docker build -t vitrine . && docker run -p 8080:8080 -v vitrine:/data vitrine
FROM --platform=$BUILDPLATFORM node:22-bookworm-slim AS build
ARG TARGETARCH
ARG COMMIT=unknown
WORKDIR /src
COPY . .
# The build for amd64 runs on every such processor, also without AVX2.
RUN case "$TARGETARCH" in amd64) target=bun-linux-x64-baseline ;; *) target="bun-linux-$TARGETARCH" ;; esac \
 && npm run build -- --target="$target" --outfile=/out/vitrine --commit="$COMMIT"

FROM --platform=$BUILDPLATFORM debian:bookworm-slim AS system
ARG TARGETARCH
COPY scripts/image/system.sh /
RUN sh /system.sh "$TARGETARCH" /out

FROM scratch
ARG COMMIT=unknown
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="Vitrine" \
      org.opencontainers.image.description="A self-hosted server for static websites" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$COMMIT"
COPY --from=system /out/ /
COPY --from=build /out/vitrine /usr/local/bin/vitrine
USER 65532:65532
WORKDIR /data
VOLUME /data
# The engine collects garbage as on a small machine: docs/operating.md, Memory.
ENV PATH=/usr/local/bin VITRINE_DATA_DIR=/data VITRINE_LISTEN=:8080 \
    BUN_JSC_forceRAMSize=201326592 BUN_JSC_largeHeapGrowthFactor=1.4 \
    BUN_JSC_minEdenToOldGenerationRatio=0.2 MIMALLOC_PURGE_HOLES_MIN_INTERVAL=1000
EXPOSE 8080
# Running requests have 30 seconds to finish: docker stop -t 40
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=6s --start-period=10s CMD ["vitrine", "doctor", "--health"]
ENTRYPOINT ["vitrine"]
CMD ["serve"]
