# The image of a release. `make release` copies this file beside the binaries in dist/release, which is the context:
#
#   docker build -t weft dist/release
FROM gcr.io/distroless/static-debian12:nonroot
ARG TARGETARCH=amd64
COPY weft-linux-${TARGETARCH} /weft
# An empty directory, so that a new volume belongs to the user of the image.
COPY --chown=65532:65532 data /data
ENV WEFT_LISTEN=0.0.0.0:8080 WEFT_DATA=/data
VOLUME /data
EXPOSE 8080
ENTRYPOINT ["/weft", "serve"]
