# The executable on a bare Debian, as a user without privileges, with its data in the volume /data.
#   docker build -t vitrine . && docker run -p 8080:8080 -v vitrine:/data vitrine
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN npm run build

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/* \
 && useradd --system --home-dir /data --shell /usr/sbin/nologin vitrine \
 && install -d -m 0700 -o vitrine -g vitrine /data
COPY --from=build /src/dist/vitrine /usr/local/bin/vitrine
USER vitrine
VOLUME /data
ENV VITRINE_DATA_DIR=/data VITRINE_LISTEN=:8080
# Collect garbage as on a small machine: half the memory at the same speed.
ENV BUN_JSC_forceRAMSize=201326592 BUN_JSC_largeHeapGrowthFactor=1.4 \
    BUN_JSC_minEdenToOldGenerationRatio=0.2 MIMALLOC_PURGE_HOLES_MIN_INTERVAL=1000
EXPOSE 8080
# Running requests have 30 seconds to finish: docker stop -t 40
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=6s CMD ["vitrine", "doctor", "--health"]
ENTRYPOINT ["vitrine"]
CMD ["serve"]
