# dynoxide in an image of its own. The context is a directory with the binary, which must be static: there is no libc here.
FROM scratch
COPY dynoxide /dynoxide
EXPOSE 8000
ENTRYPOINT ["/dynoxide", "serve"]
CMD ["--host", "0.0.0.0", "--port", "8000", "--log", "quiet"]
