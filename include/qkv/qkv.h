/*
 * qkv: an attention workbench. This header includes all the others:
 *
 *   status.h     what every function returns, and how errors are described
 *   tensor.h     element types and strided views of the caller's memory
 *   attention.h  the operator: softmax(QK')V and its family
 *   claim.h      claims about attention, checked
 *   figure.h     arrays to SVG, PNG and PDF
 *   grade.h      answers of students, judged by a key
 *   html.h       documents with their verdicts, derivations and figures in one HTML file
 *   lab.h        attention over random keys, sampled
 *   law.h        laws of attention over keys of uncertain length
 *   plot.h       pictures of attention and its laws
 *   file.h       tensors in files, such as .npy
 *   threads.h    how many threads, and how to end a call early
 *   version.h    the version
 */
#ifndef QKV_H
#define QKV_H

#include <qkv/attention.h>
#include <qkv/claim.h>
#include <qkv/figure.h>
#include <qkv/file.h>
#include <qkv/grade.h>
#include <qkv/html.h>
#include <qkv/lab.h>
#include <qkv/law.h>
#include <qkv/plot.h>
#include <qkv/status.h>
#include <qkv/tensor.h>
#include <qkv/threads.h>
#include <qkv/version.h>

#endif
