#ifndef CPixelKernels_H
#define CPixelKernels_H
#endif
