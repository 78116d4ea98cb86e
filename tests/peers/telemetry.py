"""What a collector sends on, for telemetry.mjs: takes OTLP over HTTP and prints each span as a line of JSON.

    telemetry.py sink      prints its port first, ends with its standard input
    telemetry.py settings DATABASE JSON      sets where spans go, as the window does
"""

import gzip
import json
import sqlite3
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def values(attributes):
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in attributes}


def sink():
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest, ExportTraceServiceResponse

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.headers["content-encoding"] == "gzip":
                body = gzip.decompress(body)
            request = ExportTraceServiceRequest.FromString(body)
            for resource in request.resource_spans:
                for scope in resource.scope_spans:
                    for span in scope.spans:
                        print(json.dumps({
                            "name": span.name, "trace": span.trace_id.hex(), "id": span.span_id.hex(), "parent": span.parent_span_id.hex(),
                            "failed": span.status.code == 2, "ended": span.end_time_unix_nano >= span.start_time_unix_nano > 0,
                            "is": values(span.attributes), "service": values(resource.resource.attributes).get("service.name"),
                        }), flush=True)
            answer = ExportTraceServiceResponse().SerializeToString()
            self.send_response(200)
            self.send_header("content-type", "application/x-protobuf")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()


def settings(database, text):
    with sqlite3.connect(database) as store:
        store.execute("INSERT INTO setting (name, value) VALUES ('telemetry', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", [text])


{"sink": sink, "settings": settings}[sys.argv[1]](*sys.argv[2:])
