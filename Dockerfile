# The page, as a user without rights. All who can reach the port share its games and reviews:
#   docker build -t cribev . && docker run --rm -p 8121:8121 -v cribev:/home/cribev/data cribev
FROM python:3.13-slim
COPY . /source
RUN pip install --no-cache-dir "/source[web]" && rm -r /source \
 && useradd --create-home cribev
USER cribev
RUN mkdir /home/cribev/data
ENV CRIBEV_DATA_DIR=/home/cribev/data
VOLUME /home/cribev/data
EXPOSE 8121
CMD ["cribev", "serve", "--host", "0.0.0.0", "--no-browser"]
