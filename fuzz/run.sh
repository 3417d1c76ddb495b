#!/usr/bin/env bash
# Fuzzes the code that reads files: the native scanner under sanitizers, and the readers in Python.
#
#     fuzz/run.sh [SECONDS] [scanner|readers]
#
# With clang the scanner is built with libFuzzer, which looks for new paths through the code;
# elsewhere with a driver that changes the corpus at random. Inputs that revealed a bug are added to
# fuzz/corpus, and every run tries them again.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
what=${2:-all}
build=build/fuzz
mkdir -p "$build"

fuzz_scanner() {
    local sources=(native/{columns,engine,kernels,text}/*.cpp native/processor.cpp
                   fuzz/scanner.cpp)
    local flags=(-std=c++20 -O1 -g1 -Inative -pthread -ffp-contract=off
                 -fsanitize=address,undefined -fno-sanitize-recover=all)
    if [[ $(uname -m) == x86_64 ]]; then
        flags+=(-DBERRYEVAL_HAS_AVX2)
    else
        sources=("${sources[@]/*_avx2.cpp/}")
    fi
    if clang++ "${flags[@]}" -fsanitize=fuzzer "${sources[@]}" -o "$build/scanner" 2>/dev/null; then
        mkdir -p "$build/found"
        "$build/scanner" -max_total_time="$seconds" -timeout=10 -print_final_stats=1 -verbosity=0 \
            "$build/found" fuzz/corpus/scanner
    else
        "${CXX:-c++}" "${flags[@]}" "${sources[@]}" fuzz/driver.cpp -o "$build/scanner"
        "$build/scanner" "$seconds" "${FUZZ_SEED:-$RANDOM}" fuzz/corpus/scanner/*
    fi
}

fuzz_readers() {
    local python=${PYTHON:-.venv/bin/python}
    if "$python" -c "import atheris" 2>/dev/null; then
        "$python" fuzz/readers.py -max_total_time="$seconds" -verbosity=0 -print_final_stats=1 \
            "$build/readers" fuzz/corpus/readers
    else
        echo "The readers in Python were not fuzzed: there is no atheris for this Python."
    fi
}

if [[ $what != readers ]]; then fuzz_scanner; fi
if [[ $what != scanner ]]; then fuzz_readers; fi
