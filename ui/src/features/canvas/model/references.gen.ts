// Generated from the Rust types. Do not edit; `cargo xtask gen` writes it.

import type { Place } from './references.ts';

export const OF_FILE: Place = {
  "fields": {
    "settings": {
      "fields": {
        "errorPolicy": {
          "fields": {
            "rules": {
              "any": {
                "fields": {
                  "when": {
                    "is": "cel"
                  }
                }
              }
            }
          }
        },
        "toolRules": {
          "any": {
            "fields": {
              "when": {
                "is": "cel"
              }
            }
          }
        },
        "concurrency": {
          "fields": {
            "key": {
              "is": "cel"
            }
          }
        },
        "onAbort": {
          "is": "step"
        },
        "auditRules": {
          "any": {
            "fields": {
              "when": {
                "is": "cel"
              }
            }
          }
        }
      }
    },
    "nodes": {
      "any": {
        "fields": {
          "if": {
            "is": "cel"
          },
          "print": {
            "is": "value"
          },
          "in": {
            "is": "value"
          },
          "config": {
            "is": "config"
          },
          "out": {
            "is": "value"
          },
          "errorHandling": {
            "fields": {
              "fallbackNodeId": {
                "is": "step"
              }
            }
          },
          "idempotencyKey": {
            "is": "value"
          },
          "guardrails": {
            "fields": {
              "before": {
                "any": {
                  "fields": {
                    "refuse": {
                      "is": "cel"
                    },
                    "value": {
                      "is": "cel"
                    }
                  }
                }
              },
              "after": {
                "any": {
                  "fields": {
                    "refuse": {
                      "is": "cel"
                    },
                    "value": {
                      "is": "cel"
                    }
                  }
                }
              }
            }
          },
          "parent": {
            "is": "step"
          }
        }
      },
      "keys": true
    },
    "edges": {
      "any": {
        "fields": {
          "from": {
            "is": "port"
          },
          "to": {
            "is": "step"
          }
        }
      }
    },
    "layout": {
      "keys": true,
      "fields": {
        "$view": {
          "any": {
            "any": {
              "is": "step"
            }
          }
        }
      }
    }
  }
};

export const OF_KINDS: { readonly [kind: string]: Place } = {
  "a2a.agent": {
    "fields": {
      "credential": {
        "is": "none"
      },
      "resultField": {
        "is": "none"
      }
    }
  },
  "agent.task": {
    "fields": {
      "tools": {
        "is": "none"
      },
      "toolRules": {
        "any": {
          "fields": {
            "when": {
              "is": "cel"
            },
            "message": {
              "is": "none"
            }
          }
        }
      },
      "transitions": {
        "is": "none"
      },
      "resultField": {
        "is": "none"
      }
    }
  },
  "archive.pack": {
    "fields": {
      "to": {
        "is": "none"
      },
      "format": {
        "is": "none"
      },
      "name": {
        "is": "cel"
      },
      "content": {
        "is": "cel"
      },
      "binary": {
        "is": "none"
      }
    }
  },
  "archive.unpack": {
    "fields": {
      "binary": {
        "is": "none"
      },
      "action": {
        "is": "none"
      }
    }
  },
  "builtin.error_handler": {
    "fields": {
      "rules": {
        "any": {
          "fields": {
            "when": {
              "is": "cel"
            }
          }
        }
      }
    }
  },
  "builtin.human_decision": {
    "fields": {
      "alternatives": {
        "any": {
          "fields": {
            "targetNodeId": {
              "is": "step"
            }
          }
        }
      }
    }
  },
  "builtin.human_form": {
    "fields": {
      "schema": {
        "is": "none"
      }
    }
  },
  "builtin.self_healing": {
    "fields": {
      "validationSchema": {
        "is": "none"
      }
    }
  },
  "code.javascript": {
    "fields": {
      "source": {
        "is": "none"
      }
    }
  },
  "connector.call": {
    "fields": {
      "connector": {
        "is": "none"
      },
      "operation": {
        "is": "none"
      },
      "credential": {
        "is": "none"
      },
      "fields": {
        "is": "none"
      },
      "resultField": {
        "is": "none"
      }
    }
  },
  "data.aggregate": {
    "fields": {
      "field": {
        "is": "none"
      }
    }
  },
  "data.compare": {
    "fields": {
      "keys": {
        "any": {
          "fields": {
            "field": {
              "is": "none"
            },
            "otherField": {
              "is": "none"
            }
          }
        }
      },
      "second": {
        "is": "step"
      },
      "ignore": {
        "is": "none"
      }
    }
  },
  "data.date": {
    "fields": {
      "field": {
        "is": "none"
      },
      "pattern": {
        "is": "none"
      },
      "otherField": {
        "is": "none"
      },
      "zone": {
        "is": "none"
      },
      "into": {
        "is": "none"
      }
    }
  },
  "data.dedupe": {
    "fields": {
      "by": {
        "is": "none"
      }
    }
  },
  "data.filter": {
    "fields": {
      "when": {
        "is": "cel"
      }
    }
  },
  "data.format": {
    "fields": {
      "from": {
        "is": "cel"
      }
    }
  },
  "data.group": {
    "fields": {
      "by": {
        "is": "none"
      },
      "into": {
        "is": "none"
      },
      "countName": {
        "is": "none"
      }
    }
  },
  "data.merge": {
    "fields": {
      "keys": {
        "any": {
          "fields": {
            "field": {
              "is": "none"
            },
            "otherField": {
              "is": "none"
            }
          }
        }
      },
      "second": {
        "is": "step"
      },
      "into": {
        "is": "none"
      }
    }
  },
  "data.number": {
    "fields": {
      "field": {
        "is": "none"
      },
      "otherField": {
        "is": "none"
      },
      "groupSign": {
        "is": "none"
      },
      "into": {
        "is": "none"
      }
    }
  },
  "data.parse": {
    "fields": {
      "from": {
        "is": "cel"
      },
      "namespaces": {
        "is": "none"
      },
      "lists": {
        "is": "none"
      }
    }
  },
  "data.pick": {
    "fields": {
      "fields": {
        "is": "none"
      }
    }
  },
  "data.remember": {
    "fields": {
      "key": {
        "is": "cel"
      }
    }
  },
  "data.rename": {
    "fields": {
      "fields": {
        "any": {
          "fields": {
            "field": {
              "is": "none"
            },
            "name": {
              "is": "none"
            }
          }
        }
      }
    }
  },
  "data.sort": {
    "fields": {
      "by": {
        "is": "cel"
      }
    }
  },
  "data.split": {
    "fields": {
      "field": {
        "is": "none"
      },
      "entryName": {
        "is": "none"
      }
    }
  },
  "data.summarise": {
    "fields": {
      "statistics": {
        "any": {
          "fields": {
            "field": {
              "is": "none"
            },
            "name": {
              "is": "none"
            }
          }
        }
      },
      "by": {
        "is": "none"
      }
    }
  },
  "data.text": {
    "fields": {
      "field": {
        "is": "none"
      },
      "find": {
        "is": "none"
      },
      "with": {
        "is": "none"
      },
      "separator": {
        "is": "none"
      },
      "into": {
        "is": "none"
      }
    }
  },
  "data.transform": {
    "fields": {
      "expression": {
        "is": "cel"
      }
    }
  },
  "db.query": {
    "fields": {
      "system": {
        "is": "none"
      },
      "credential": {
        "is": "none"
      },
      "tls": {
        "is": "none"
      },
      "rootCertificate": {
        "is": "none"
      },
      "sql": {
        "is": "none"
      },
      "access": {
        "is": "none"
      },
      "resultField": {
        "is": "none"
      }
    }
  },
  "db.tables": {
    "fields": {
      "system": {
        "is": "none"
      },
      "credential": {
        "is": "none"
      },
      "tls": {
        "is": "none"
      },
      "rootCertificate": {
        "is": "none"
      }
    }
  },
  "db.write": {
    "fields": {
      "system": {
        "is": "none"
      },
      "credential": {
        "is": "none"
      },
      "tls": {
        "is": "none"
      },
      "rootCertificate": {
        "is": "none"
      },
      "action": {
        "is": "none"
      },
      "key": {
        "is": "none"
      },
      "columns": {
        "any": {
          "fields": {
            "column": {
              "is": "none"
            },
            "field": {
              "is": "none"
            },
            "value": {
              "is": "cel"
            }
          }
        }
      }
    }
  },
  "feed.read": {
    "fields": {
      "credential": {
        "is": "none"
      },
      "resultField": {
        "is": "none"
      }
    }
  },
  "file.read": {
    "fields": {
      "resultField": {
        "is": "none"
      }
    }
  },
  "file.write": {
    "fields": {
      "field": {
        "is": "none"
      }
    }
  },
  "flow.if": {
    "fields": {
      "condition": {
        "is": "cel"
      }
    }
  },
  "flow.loop": {
    "fields": {
      "while": {
        "is": "cel"
      },
      "collect": {
        "is": "cel"
      }
    }
  },
  "flow.subworkflow": {
    "fields": {
      "resultField": {
        "is": "none"
      }
    }
  },
  "flow.switch": {
    "fields": {
      "cases": {
        "any": {
          "fields": {
            "when": {
              "is": "cel"
            }
          }
        }
      }
    }
  },
  "html.select": {
    "fields": {
      "from": {
        "is": "cel"
      },
      "action": {
        "is": "none"
      },
      "fields": {
        "any": {
          "fields": {
            "name": {
              "is": "none"
            },
            "selector": {
              "is": "none"
            },
            "take": {
              "is": "none"
            },
            "attribute": {
              "is": "none"
            }
          }
        }
      }
    }
  },
  "http.request": {
    "fields": {
      "credential": {
        "is": "none"
      },
      "items": {
        "is": "none"
      },
      "pages": {
        "fields": {
          "kind": {
            "is": "none"
          },
          "parameter": {
            "is": "none"
          },
          "field": {
            "is": "none"
          },
          "first": {
            "is": "none"
          }
        }
      },
      "rateLimit": {
        "fields": {
          "requests": {
            "is": "none"
          },
          "perSeconds": {
            "is": "none"
          }
        }
      },
      "resultField": {
        "is": "none"
      }
    }
  },
  "llm.chat": {
    "fields": {
      "output": {
        "is": "none"
      },
      "tools": {
        "is": "none"
      },
      "toolRules": {
        "any": {
          "fields": {
            "when": {
              "is": "cel"
            },
            "message": {
              "is": "none"
            }
          }
        }
      },
      "resultField": {
        "is": "none"
      }
    }
  },
  "mail.read": {
    "fields": {
      "credential": {
        "is": "none"
      },
      "ca": {
        "is": "none"
      },
      "resultField": {
        "is": "none"
      }
    }
  },
  "mail.send": {
    "fields": {
      "credential": {
        "is": "none"
      },
      "ca": {
        "is": "none"
      },
      "resultField": {
        "is": "none"
      }
    }
  },
  "mcp.tool": {
    "fields": {
      "server": {
        "is": "none"
      },
      "tool": {
        "is": "own-id"
      },
      "resultField": {
        "is": "none"
      }
    }
  },
  "message.publish": {
    "fields": {
      "system": {
        "is": "none"
      },
      "credential": {
        "is": "none"
      },
      "sasl": {
        "is": "none"
      },
      "vhost": {
        "is": "none"
      },
      "ca": {
        "is": "none"
      },
      "resultField": {
        "is": "none"
      }
    }
  },
  "object.delete": {
    "fields": {
      "credential": {
        "is": "none"
      },
      "resultField": {
        "is": "none"
      }
    }
  },
  "object.list": {
    "fields": {
      "credential": {
        "is": "none"
      },
      "resultField": {
        "is": "none"
      }
    }
  },
  "object.move": {
    "fields": {
      "credential": {
        "is": "none"
      },
      "resultField": {
        "is": "none"
      }
    }
  },
  "object.read": {
    "fields": {
      "credential": {
        "is": "none"
      },
      "resultField": {
        "is": "none"
      }
    }
  },
  "object.write": {
    "fields": {
      "credential": {
        "is": "none"
      },
      "resultField": {
        "is": "none"
      }
    }
  },
  "pdf.read": {
    "fields": {
      "binary": {
        "is": "none"
      },
      "output": {
        "is": "none"
      }
    }
  },
  "pdf.write": {
    "fields": {
      "values": {
        "is": "none"
      },
      "to": {
        "is": "none"
      }
    }
  },
  "rag.index": {
    "fields": {
      "index": {
        "is": "none"
      },
      "action": {
        "is": "none"
      },
      "id": {
        "is": "cel"
      },
      "text": {
        "is": "cel"
      },
      "format": {
        "is": "none"
      },
      "binary": {
        "is": "none"
      },
      "title": {
        "is": "cel"
      },
      "metadata": {
        "is": "cel"
      },
      "embeddingModel": {
        "is": "none"
      }
    }
  },
  "rag.retrieve": {
    "fields": {
      "index": {
        "is": "none"
      },
      "embeddingModel": {
        "is": "none"
      },
      "onEmbeddingFailure": {
        "is": "none"
      },
      "resultField": {
        "is": "none"
      }
    }
  },
  "sheet.fill": {
    "fields": {
      "binary": {
        "is": "none"
      },
      "data": {
        "is": "cel"
      },
      "to": {
        "is": "none"
      },
      "missing": {
        "is": "none"
      }
    }
  },
  "sheet.read": {
    "fields": {
      "binary": {
        "is": "none"
      },
      "format": {
        "is": "none"
      },
      "output": {
        "is": "none"
      },
      "merged": {
        "is": "none"
      },
      "encoding": {
        "is": "none"
      }
    }
  },
  "sheet.write": {
    "fields": {
      "to": {
        "is": "none"
      },
      "from": {
        "is": "cel"
      },
      "content": {
        "is": "none"
      },
      "sheetField": {
        "is": "none"
      },
      "columns": {
        "any": {
          "fields": {
            "field": {
              "is": "none"
            },
            "title": {
              "is": "none"
            },
            "type": {
              "is": "none"
            },
            "format": {
              "is": "none"
            }
          }
        }
      },
      "headerStyle": {
        "is": "none"
      }
    }
  },
  "table.read": {
    "fields": {
      "binary": {
        "is": "none"
      },
      "output": {
        "is": "none"
      }
    }
  },
  "trigger.error": {
    "fields": {
      "workflows": {
        "is": "none"
      }
    }
  },
  "trigger.file_watch": {
    "fields": {
      "path": {
        "is": "none"
      },
      "glob": {
        "is": "none"
      },
      "events": {
        "is": "none"
      },
      "settleMs": {
        "is": "none"
      },
      "existing": {
        "is": "none"
      }
    }
  },
  "trigger.form": {
    "fields": {
      "path": {
        "is": "none"
      },
      "title": {
        "is": "none"
      },
      "description": {
        "is": "none"
      },
      "schema": {
        "is": "none"
      },
      "submitLabel": {
        "is": "none"
      },
      "respond": {
        "is": "none"
      },
      "thanks": {
        "is": "none"
      },
      "maxBytes": {
        "is": "none"
      }
    }
  },
  "trigger.mail": {
    "fields": {
      "credential": {
        "is": "none"
      },
      "every": {
        "is": "none"
      },
      "existing": {
        "is": "none"
      },
      "ca": {
        "is": "none"
      }
    }
  },
  "trigger.manual": {
    "fields": {
      "offerAsTool": {
        "is": "none"
      },
      "offerAsAgent": {
        "is": "none"
      },
      "toolDescription": {
        "is": "none"
      },
      "outputSchema": {
        "is": "none"
      }
    }
  },
  "trigger.message": {
    "fields": {
      "system": {
        "is": "none"
      },
      "credential": {
        "is": "none"
      },
      "existing": {
        "is": "none"
      },
      "sasl": {
        "is": "none"
      },
      "vhost": {
        "is": "none"
      },
      "ca": {
        "is": "none"
      }
    }
  },
  "trigger.poll": {
    "fields": {
      "every": {
        "is": "none"
      },
      "source": {
        "fields": {
          "kind": {
            "is": "none"
          },
          "workflow": {
            "is": "none"
          }
        }
      },
      "credential": {
        "is": "none"
      },
      "items": {
        "is": "cel"
      },
      "key": {
        "is": "cel"
      },
      "existing": {
        "is": "none"
      },
      "cursor": {
        "is": "cel"
      },
      "method": {
        "is": "none"
      },
      "timeoutMs": {
        "is": "none"
      }
    }
  },
  "trigger.schedule": {
    "fields": {
      "cron": {
        "is": "none"
      },
      "every": {
        "is": "none"
      },
      "timezone": {
        "is": "none"
      },
      "onMissed": {
        "is": "none"
      },
      "jitterMs": {
        "is": "none"
      }
    }
  },
  "trigger.webhook": {
    "fields": {
      "path": {
        "is": "none"
      },
      "methods": {
        "is": "none"
      },
      "auth": {
        "is": "none"
      },
      "respond": {
        "is": "none"
      },
      "timeoutMs": {
        "is": "none"
      },
      "maxBytes": {
        "is": "none"
      },
      "dedupe": {
        "is": "none"
      }
    }
  }
};
