"""Bytes in and out: reading and writing of files and folders, checksums, strict JSON."""

from semipunct.files.reading import STANDARD as STANDARD
from semipunct.files.reading import FileKind as FileKind
from semipunct.files.reading import Section as Section
from semipunct.files.reading import as_section as as_section
from semipunct.files.reading import beginning as beginning
from semipunct.files.reading import byte_lines as byte_lines
from semipunct.files.reading import display_name as display_name
from semipunct.files.reading import file_sha256 as file_sha256
from semipunct.files.reading import read_bytes as read_bytes
from semipunct.files.reading import sha256 as sha256
from semipunct.files.reading import title_of as title_of
from semipunct.files.strict_json import finite as finite
from semipunct.files.strict_json import from_json as from_json
from semipunct.files.strict_json import json_document as json_document
from semipunct.files.strict_json import to_json as to_json
from semipunct.files.writing import check_output_file as check_output_file
from semipunct.files.writing import check_place as check_place
from semipunct.files.writing import output as output
from semipunct.files.writing import write_bytes as write_bytes
