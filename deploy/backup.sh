#!/bin/sh
# Exports an archive into a compressed file, checks that it can be restored, and keeps the newest.
# The service can keep running.
#
#   deploy/backup.sh ARCHIVE FOLDER [KEEP]
#
# ARCHIVE is a SQLite file or postgresql://…, FOLDER is best on another machine, KEEP is 14 if omitted.
set -eu

archive=$1
folder=$2
keep=${3:-14}
umask 077

mkdir -p "$folder"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

berryeval archive export "$archive" "$scratch/export"
# Prove that the backup can be restored: import it, and check every page of the result.
berryeval archive import "$scratch/export" "$scratch/restored.db"
berryeval archive info "$scratch/restored.db"

name=berryeval-$(date -u +%Y%m%dT%H%M%SZ).tar.gz
tar -C "$scratch" -czf "$folder/.$name" export
mv "$folder/.$name" "$folder/$name"
echo "Wrote $folder/$name"

# The oldest files beyond KEEP.
ls "$folder"/berryeval-*.tar.gz | sort -r | tail -n "+$((keep + 1))" | while read -r old; do
  rm -- "$old"
done
