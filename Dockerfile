# The image of every part; the first argument is the command: `resourceclass webhook ...`.
FROM python:3.13-slim-bookworm AS build
WORKDIR /build
# Everything that is installed stands in a lock with its hash, also what builds our own package.
COPY requirements/build.txt requirements/run.txt requirements/
RUN pip install --no-cache-dir --only-binary :all: --require-hashes -r requirements/build.txt \
 && python -m venv --without-pip /opt/resourceclass \
 && pip --python /opt/resourceclass/bin/python install --no-cache-dir --only-binary :all: --require-hashes \
      -r requirements/run.txt
COPY LICENSE README.md pyproject.toml setup.cfg ./
COPY requirements/run.in requirements/
COPY certs certs
COPY webhook webhook
RUN pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir dist . \
 && pip --python /opt/resourceclass/bin/python install --no-cache-dir --no-deps --no-index dist/*.whl

FROM python:3.13-slim-bookworm
# Nothing is installed in a running container.
RUN pip uninstall --yes --root-user-action ignore pip
COPY --from=build /opt/resourceclass /opt/resourceclass
# The root file system may be read-only: bytecode was compiled above, gunicorn's worker files go to /dev/shm.
ENV PATH=/opt/resourceclass/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
USER 65532:65532
EXPOSE 8443 8080
ENTRYPOINT ["resourceclass"]
