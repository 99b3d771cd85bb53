# The server `ferrybot serve` and every other verb: docker run ghcr.io/ferrybot/ferrybot --help. The release workflow builds
# it from the package that `npm pack` made. The package brings its libraries, so nothing is downloaded but git and Python.
FROM node:24.21.0-bookworm-slim

RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git python3 \
  && rm -rf /var/lib/apt/lists/*
COPY ferrybot-*.tgz /tmp/
RUN npm install --global --ignore-scripts --no-audit --no-fund /tmp/ferrybot-*.tgz \
  && rm /tmp/ferrybot-*.tgz \
  && install --directory --owner=node --mode=0700 /work

USER node
# The folder is a cache of what GitHub has: a lost volume costs one fetch.
ENV FERRYBOT_WORK_DIR=/work FERRYBOT_HOST=0.0.0.0 PORT=3000
VOLUME /work
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["ferrybot"]
CMD ["serve"]
