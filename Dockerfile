# docker build -t semipunct . && docker run -p 8081:8081 semipunct
FROM python:3.13-slim
RUN --mount=type=bind,target=/source,rw \
    pip install --no-cache-dir "/source[web]" /source/packages/en
RUN useradd --create-home writer
USER writer
EXPOSE 8081
CMD ["semipunct", "serve", "en", "--host", "0.0.0.0"]
