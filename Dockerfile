# Satchel for a folder that is mounted at /code; its state lies in the volume /state.
#
#     docker build -t satchel .
#     docker run --rm -v "$PWD:/code:ro" -v satchel-state:/state satchel context "how are retries done"
#     docker run --rm -i -v "$PWD:/code:ro" -v satchel-state:/state satchel serve
FROM python:3.11-slim AS build
# Debian removes the versions that a pin would name.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/*
COPY . /source
# A wheel is built first, so that the image holds no sources and no build tools.
RUN python -m venv /opt/satchel && /opt/satchel/bin/pip install --no-cache-dir /source

FROM python:3.11-slim
# git says which files are ignored and what changed.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 1000 --create-home satchel \
    && install --directory --owner satchel --group satchel --mode 700 /state
COPY --from=build /opt/satchel /opt/satchel
# Whoever mounts a folder there means it, whoever it belongs to.
ENV PATH=/opt/satchel/bin:$PATH SATCHEL_STATE_FOLDER=/state SATCHEL_INDEX_CONFIRMED=/code
# The mounted checkout belongs to whoever mounted it; git would not read it otherwise.
RUN git config --system --add safe.directory /code
USER 1000
VOLUME /state
WORKDIR /code
ENTRYPOINT ["satchel"]
CMD ["--help"]
